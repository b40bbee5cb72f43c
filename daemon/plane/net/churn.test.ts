import { churnTests } from '../testing/conformance/churn.ts';
import { createNetPlane } from './plane.ts';

churnTests(createNetPlane, 10_000);
