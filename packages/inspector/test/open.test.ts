import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const isLinux = process.platform === 'linux';

test.skipIf(!isLinux)(
  'the browser is not given the token in its arguments, but in a private file',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'dramaturg-open-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const browser = join(folder, 'xdg-open');
    writeFileSync(
      browser,
      `#!/bin/sh
exec > '${folder}/seen'
echo "$1"
page=\${1#file://}
stat -c %a "$page" "$(dirname "$page")"
cat "$page"
touch '${folder}/done'
`,
    );
    chmodSync(browser, 0o755);
    const module = new URL('../src/server/open.ts', import.meta.url).href;
    const url = 'http://127.0.0.1:4711/?token=planted&a=b';
    const program = `
    import { existsSync } from 'node:fs';
    process.umask(0);
    const { openInBrowser } = await import('${module}');
    openInBrowser('${url}');
    const waiting = setInterval(() => existsSync('${folder}/done') && clearInterval(waiting), 10);`;
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--experimental-strip-types', '--no-warnings', '--input-type=module', '-e', program],
      {
        env: { ...process.env, PATH: `${folder}:${process.env['PATH']}`, TMPDIR: folder },
        timeout: 20_000,
      },
    );
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' });
    const [address = '', fileMode, folderMode, page] = spawnSync('cat', [join(folder, 'seen')])
      .stdout.toString()
      .split('\n');
    expect(address).toMatch(/^file:\/\/\/\S+\/inspector\.html$/);
    expect([fileMode, folderMode]).toEqual(['600', '700']);
    expect(page).toContain('url=http://127.0.0.1:4711/?token=planted&amp;a=b"');
    expect(spawnSync('ls', [folder]).stdout.toString()).not.toContain('dramaturg-open-');
  },
);
