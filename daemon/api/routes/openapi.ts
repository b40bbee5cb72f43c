import { openApi } from '../../../contract/api/openapi.ts';
import { json } from '../answer.ts';
import type { Route } from '../call.ts';

export const openapi: Route<'openapi'> = ({ core, needsToken }) => json(openApi(core.version, needsToken()));
