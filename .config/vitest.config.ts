import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { runsAll } from './scaled.ts';

const root = join(import.meta.dirname, '..');

export default defineConfig({
  root,
  resolve: { alias: sourcesOfPackages() },
  test: {
    // Golden files are written instead of compared: chart.txt, diagnostics.txt, the findings in docs/diagnostics.
    ...(process.env['UPDATE_GOLDEN'] === '1' ? { update: 'all' as const } : {}),
    include: ['{packages,apps}/**/test/**/*.test.ts'],
    typecheck: {
      enabled: true,
      include: ['packages/**/test/**/*.test-d.ts'],
      tsconfig: join(import.meta.dirname, 'tsconfig.test-d.json'),
    },
    // Loading the modules again for each file takes longer than most tests, so files share them.
    isolate: false,
    // A larger nursery than Node's 16 MB saves 4 to 11 % of the processor time.
    execArgv: ['--max-semi-space-size=64'],
    // By default Vitest leaves one core free, which is half of a machine with two. With twice as many workers as cores, tests of
    // servers take a quarter more of the processor.
    maxWorkers: availableParallelism() + 1,
    // Concurrent tests of a file wait for a server more than they compute.
    maxConcurrency: 10,
    // No test measures time: these only end what hangs, and no test has its own. A minute of work takes five where other programs
    // share two slow cores.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // CI runs a failed test once more. If it then passes, the end of the output lists it as flaky, with its first failure.
    retry: runsAll ? 1 : 0,
    setupFiles: [join(import.meta.dirname, 'test-setup.ts')],
    expect: { poll: { timeout: 300_000 } },
    exclude: [
      '**/node_modules/**',
      '**/dist/**',
      '**/fixtures/**',
      ...(runsAll ? [] : ['**/*.long.test.ts']),
    ],
    reporters: [
      'default',
      [
        join(import.meta.dirname, 'totals-reporter.ts'),
        { file: join(root, '.totals/packages.json') },
      ],
    ],
  },
});

/** Tests run on the sources: each export and import of a package that points into dist is read from src instead. */
function sourcesOfPackages() {
  return globSync('packages/{*,channels/*,formats/*}/package.json', { cwd: root }).flatMap(
    (path) => {
      const folder = join(root, dirname(path));
      const { name, exports, imports = {} } = JSON.parse(readFileSync(join(root, path), 'utf8'));
      const targets: Record<string, string | { default: string }> = { ...exports, ...imports };
      return Object.entries(targets).flatMap(([subpath, target]) => {
        if (typeof target === 'string' || !target.default.startsWith('./dist/')) return [];
        const source = target.default.replace('./dist/', './src/').replace(/\.js$/, '.ts');
        return {
          find: new RegExp(
            subpath.startsWith('#') ? `^${subpath}$` : `^${name}${subpath.slice(1)}$`,
          ),
          replacement: join(folder, source),
        };
      });
    },
  );
}
