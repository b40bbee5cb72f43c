/** Writes a generated file as a ConfigMap of Kubernetes. */
import { UsageError } from '../../platform/errors.ts';
import { commentText } from './printable.ts';
import { yamlDocument, yamlText } from './yaml.ts';

/** Limit of Kubernetes for the data of a ConfigMap. */
const mostBytes = 1024 * 1024;

export interface ConfigFile {
  readonly map: string;
  readonly file: string;
  readonly text: string;
}

/** Returns the ConfigMap. @throws UsageError when the file is larger than Kubernetes accepts */
export function configMap({ map, file, text }: ConfigFile): object {
  if (Buffer.byteLength(text) > mostBytes)
    throw new UsageError(`${file} has more than ${mostBytes} bytes, the limit of a ConfigMap in Kubernetes`, {
      code: 'not_expressible',
      hint: 'copy the output of another target into an image instead',
    });
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: map }, data: { [file]: text } };
}

/** Returns lines that show how a pod mounts the ConfigMap at `folder`. */
export const mountNotes = ({ map }: ConfigFile, folder: string): readonly string[] => [
  '  volumes:',
  `    - {name: ${map}, configMap: {name: ${map}}}`,
  '  # in the container:',
  '  volumeMounts:',
  `    - {name: ${map}, mountPath: ${folder}, readOnly: true}`,
];

export const manifestText = (notes: readonly string[], objects: readonly object[]): string =>
  [commentText(notes), ...objects.map((object) => yamlText(yamlDocument(object)))].join('---\n');
