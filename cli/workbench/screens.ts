/** The screens, in the order of the tabs. */
import { blockedScreen } from './blocked/screen.ts';
import { daemonScreen } from './daemon/screen.ts';
import { policyScreen } from './policy/screen.ts';
import { sandboxesScreen } from './sandboxes/screen.ts';
import type { Screen } from './screen.ts';
import type { ScreenName } from './state.ts';
import { tryScreen } from './try/screen.ts';

export const screens: readonly Screen[] = [tryScreen, policyScreen, sandboxesScreen, daemonScreen, blockedScreen];

export const screenOf = (name: ScreenName): Screen => screens.find((screen) => screen.name === name) as Screen;
