/** Vectors, captchas and a browser through each real proxy. */
import { browserScenes } from './browser.ts';
import { captcha } from './captcha.ts';
import { vectors } from './parity.ts';
import { testOnWire } from './sections.ts';

testOnWire({
  'the verdict on the wire is the verdict of the vector': vectors,
  captcha,
  'a browser behind the proxy': browserScenes,
});
