/** Vectors, captchas and a browser through each real proxy. */
import { browserScenes } from './wire/browser.ts';
import { captcha } from './wire/captcha.ts';
import { vectors } from './wire/parity.ts';
import { testOnWire } from './wire/sections.ts';

testOnWire({
  'the verdict on the wire is the verdict of the vector': vectors,
  captcha,
  'a browser behind the proxy': browserScenes,
});
