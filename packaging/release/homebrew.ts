/** The channel of the Homebrew formula of the npm package, for a tap. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifest, packedFile } from '../../platform/assets.ts';
import type { Channel } from './channel.ts';
import { repository } from './mirror.ts';

const name = 'request-guard';
const tap = 'github.com/request-guard/homebrew-tap';

/** Returns the formula. @param sha256 of the npm package, hexadecimal */
export const formula = (version: string, sha256: string): string => `class RequestGuard < Formula
  desc "Policy against path scanners: tests it offline and in real proxies"
  homepage "${repository}"
  url "${repository}/releases/download/v${version}/${name}-${version}.tgz"
  sha256 "${sha256}"
  license "${manifest().license}"

  depends_on "node"

  def install
    # re2 is native code, which its install script downloads or compiles.
    system "npm", "install", *std_npm_args(ignore_scripts: false), "--allow-scripts=re2"
    bin.install_symlink libexec.glob("bin/*")
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/guardcli version").strip
    assert_match "blocked", shell_output("#{bin}/guardcli test /.env")
  end
end
`;

export const homebrew: Channel = {
  name: 'homebrew',
  to: `${tap}, for \`brew install request-guard/tap/${name}\``,
  takes: 'half a minute',
  async make({ folder, version }) {
    const archive = join(folder, '../npm', packedFile());
    if (!existsSync(archive)) throw new Error('there is no npm package: make it first, with --only npm');
    const sum = createHash('sha256').update(readFileSync(archive)).digest('hex');
    writeFileSync(join(folder, `${name}.rb`), formula(version, sum));
    return [`${name}.rb`];
  },
  publish: ([file], version) => [
    `git clone --depth 1 https://${tap} tap && mkdir -p tap/Formula && cp ${file} tap/Formula/`,
    `git -C tap add . && git -C tap commit --message "${name} ${version}" && git -C tap push`,
  ],
};
