import { browserSection } from './browser.ts';
import { captchaSection } from './captcha.ts';
import { vectorSection } from './parity.ts';
import { testOnWire } from './sections.ts';

testOnWire({
  'the verdict on the wire is the verdict of the vector': vectorSection,
  captcha: captchaSection,
  'a browser behind the proxy': browserSection,
});
