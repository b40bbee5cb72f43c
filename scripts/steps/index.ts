/** All steps of the set-up. */
import type { Task } from '../graph/task.ts';
import { artefactSteps } from './artefacts.ts';
import { build } from './build.ts';
import { chromium } from './chromium.ts';
import { compiler } from './compiler.ts';
import { crowdsecDebian } from './crowdsec-debian.ts';
import { debianBase } from './debian-base.ts';
import { engine } from './engine.ts';
import { luajit } from './luajit.ts';
import { native } from './native.ts';
import { nginx } from './nginx.ts';
import { packages } from './packages.ts';
import { schemathesis } from './schemathesis.ts';
import { servers } from './servers.ts';
import { wrk } from './wrk.ts';

export const steps: readonly Task[] = [
  ...artefactSteps,
  chromium,
  compiler,
  packages,
  native,
  build,
  engine,
  debianBase,
  wrk,
  luajit,
  nginx,
  crowdsecDebian,
  schemathesis,
  servers,
];
