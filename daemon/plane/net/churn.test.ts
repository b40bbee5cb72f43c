import { churnTests } from '../conformance/churn.ts';
import { createNetPlane } from './plane.ts';

churnTests(createNetPlane, 10_000);
