/** Puts newer networks of presets into force, if their file is beside the configuration. */
import { join } from 'node:path';
import { presetFile, presetFileBytes, readPresetTable } from '../../contract/load/presets.ts';
import { setPresets } from '../../contract/values/presets.ts';
import { isAbsent, readReason, readRegularSync } from '../../platform/regular-file.ts';

/** @returns a problem of the file, whose networks are then not used */
export function loadPresetFile(folder: string): string | undefined {
  const path = join(folder, presetFile);
  try {
    setPresets(readPresetTable(readRegularSync(path, presetFileBytes).toString()));
    return undefined;
  } catch (error) {
    setPresets([]);
    return isAbsent(error) ? undefined : `${path} is not used: ${readReason(error)}. Run guardcli presets update again`;
  }
}
