/**
 * Installs the packages as people get them, from their tarballs, into empty projects, and uses them there. Needs the npm registry for what they
 * depend on.
 *
 *     npm run test:packed
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { inOneLine, type Totals } from './totals.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'dramaturg-packed-'));
const totals: Totals = { passed: 0, failed: 0, skipped: 0, failures: [] };

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
}

/** The tarballs, by the names of their packages. */
const tarballs = new Map(
  globSync('{packages/*,packages/formats/*,packages/channels/*,apps/desk}/package.json', {
    cwd: root,
  }).flatMap((path) => {
    const { name, private: isPrivate } = JSON.parse(
      readFileSync(join(root, path), 'utf8'),
    ) as Manifest;
    return isPrivate ? [] : [[name, pack(join(root, dirname(path)))] as const];
  }),
);

try {
  const project = install({
    typescript: '5.9.3',
    '@types/node': '22',
    vitest: '3',
    esbuild: '0.28.2',
  });
  fact('there is one copy of xstate, zod and each of our packages', () => {
    for (const name of ['xstate', 'zod', ...tarballs.keys()]) {
      const copies = globSync(`node_modules/**/node_modules/${name}/package.json`, {
        cwd: project,
      }).filter((path) => !path.includes('inspector-legacy'));
      if (copies.length > 0) throw new Error(`${name} is also in ${copies.join(', ')}`);
    }
  });
  fact('no source map leads to a file that is not there', () => {
    for (const map of globSync('node_modules/@dramaturg/*/dist/**/*.js.map', { cwd: project })) {
      const { sources } = JSON.parse(readFileSync(join(project, map), 'utf8')) as {
        readonly sources: readonly string[];
      };
      for (const source of sources) readFileSync(join(project, dirname(map), source));
    }
  });
  const text = readFileSync(join(root, 'docs/examples/customer-intake.plan.json'), 'utf8');
  writeFileSync(join(project, 'intake.plan.json'), text);
  const program = readFileSync(join(root, 'README.md'), 'utf8')
    .match(/```js\n(import \{ readFileSync \}[^]*?)```/)![1]!
    .replace('docs/examples/customer-intake.plan.json', 'intake.plan.json');
  writeFileSync(join(project, 'conversation.mjs'), program);
  writeFileSync(
    join(project, 'conversation.ts'),
    program.replace('diagnostics[0].', 'diagnostics[0]!.'),
  );
  fact('the program of the README runs', () => {
    if (!run('node conversation.mjs', project).includes("outcome: 'completed'"))
      throw new Error('It did not end as completed.');
  });
  fact('the program runs with require', () => {
    run(
      `node -e "const { compile } = require('dramaturg'); if (!compile) process.exit(1)"`,
      project,
    );
  });
  fact('the command runs', () => {
    run('npx --no-install dramaturg check intake.plan.json', project);
  });
  for (const [module, resolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    for (const exact of [true, false]) {
      // XState's own types do not hold with exactOptionalPropertyTypes.
      for (const skip of exact ? [true] : [true, false]) {
        fact(
          `the types hold: ${resolution}, exactOptionalPropertyTypes ${exact}, skipLibCheck ${skip}`,
          () => {
            run(
              `npx --no-install tsc --noEmit --strict --target es2023 --types node --module ${module} --moduleResolution ${resolution} --exactOptionalPropertyTypes ${exact} --skipLibCheck ${skip} conversation.ts`,
              project,
            );
          },
        );
      }
    }
  }
  fact('definitions are tested with Vitest 3', () => {
    writeFileSync(
      join(project, 'intake.test.yaml'),
      'tests:\n  - name: asks\n    steps:\n      - said: name\n',
    );
    writeFileSync(
      join(project, 'intake.test.mjs'),
      `import { test } from 'vitest';
       import { testsIn } from 'dramaturg/testing';
       for (const { name, run } of await testsIn('intake.test.yaml')) test(name, run);`,
    );
    run('npx --no-install vitest run', project);
  });
  fact('esbuild bundles the part for browsers', () => {
    writeFileSync(
      join(project, 'page.mjs'),
      `import { compile, understudyPorts } from 'dramaturg/browser'; console.log(compile, understudyPorts);`,
    );
    run(
      'npx --no-install esbuild page.mjs --bundle --minify --format=esm --outfile=page.js',
      project,
    );
  });
} catch (error) {
  totals.failed += 1;
  totals.failures.push(`The packages cannot be installed.\n${String(error)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

for (const failure of totals.failures) console.log(`FAILED ${failure}\n`);
console.log(inOneLine(totals));
mkdirSync(join(root, '.totals'), { recursive: true });
writeFileSync(join(root, '.totals/packed.json'), `${JSON.stringify(totals)}\n`);
process.exitCode = totals.failed > 0 ? 1 : 0;

function pack(from: string): string {
  const [{ filename }] = JSON.parse(
    run(`npm pack --json --ignore-scripts --pack-destination ${JSON.stringify(folder)}`, from),
  ) as [{ filename: string }];
  return join(folder, filename);
}

/** An empty project with `dramaturg` and other packages. Our packages come from their tarballs, wherever they are named. */
function install(others: Readonly<Record<string, string>>): string {
  const project = join(folder, 'project');
  mkdirSync(project);
  const ours = Object.fromEntries([...tarballs].map(([name, file]) => [name, `file:${file}`]));
  const { dramaturg: main, ...rest } = ours;
  const manifest = {
    name: 'project',
    private: true,
    type: 'module',
    dependencies: { dramaturg: main, xstate: '^5.33.0', ...others },
    overrides: rest,
  };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  run('npm install --no-audit --no-fund', project);
  return project;
}

function fact(name: string, check: () => void): void {
  try {
    check();
    totals.passed += 1;
    console.log(`✓ ${name}`);
  } catch (error) {
    totals.failed += 1;
    totals.failures.push(`${name}\n${String(error)}`);
  }
}

/** @returns what the command prints @throws Error with all of its output when it fails */
function run(command: string, cwd: string): string {
  const bin = join(root, 'node_modules/.bin');
  const { status, stdout, stderr } = spawnSync(command, {
    cwd,
    shell: true,
    encoding: 'utf8',
    env: { ...process.env, PATH: [bin, process.env['PATH']].join(delimiter) },
  });
  if (status === 0) return stdout;
  throw new Error(`${command}\n${stdout}${stderr}`);
}
