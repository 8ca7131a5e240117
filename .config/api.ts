/**
 * Writes .config/api: one report of the exports of each package. A review sees every change of the interface there. With
 * `--check` it writes nothing, and fails when a report is out of date.
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type * as ApiExtractor from '@microsoft/api-extractor';

// The ES module of api-extractor imports files without extensions, which Node does not find.
const { CompilerState, Extractor, ExtractorConfig } = createRequire(import.meta.url)(
  '@microsoft/api-extractor',
) as typeof ApiExtractor;

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string | { readonly types?: string }>>;
}

interface Entry {
  readonly folder: string;
  /** The file of the entry's types. */
  readonly types: string;
  readonly name: string;
}

const root = join(import.meta.dirname, '..');
const reports = join(import.meta.dirname, 'api');
const isCheck = process.argv.includes('--check');
const temporary = mkdtempSync(join(tmpdir(), 'dramaturg-api-'));
mkdirSync(reports, { recursive: true });

const written = new Set<string>();
const outdated: string[] = [];
const entries: Entry[] = [];
for (const path of globSync(
  '{packages/*,packages/formats/*,packages/channels/*,apps/desk}/package.json',
  { cwd: root },
)) {
  const manifest = JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest;
  if (manifest.private) continue;
  for (const [entry, target] of Object.entries(manifest.exports ?? {}))
    if (typeof target === 'object' && target.types)
      entries.push({
        folder: join(root, dirname(path)),
        types: join(root, dirname(path), target.types),
        name: nameOf(manifest.name, entry),
      });
}
const files = entries.map(({ types }) => types);
// One program for all entries: they share most of their modules.
const compilerState = CompilerState.create(configOf(entries[0]!));
for (const entry of entries) report(entry);
rmSync(temporary, { recursive: true });

for (const file of globSync('*.api.md', { cwd: reports }))
  if (!written.has(file)) {
    if (isCheck) outdated.push(`${file} (nothing has this export any more)`);
    else rmSync(join(reports, file));
  }

if (outdated.length > 0) {
  console.error(
    `The interface has changed:\n${outdated.map((file) => `  .config/api/${file}`).join('\n')}\nRun "npm run api", and look at the changes.`,
  );
  process.exitCode = 1;
} else console.log(`api: ${written.size} reports ${isCheck ? 'are up to date' : 'are written'}.`);

/** `@dramaturg/host` and `./testing` become `host-testing`. */
function nameOf(name: string, entry: string): string {
  const own = basename(name);
  return entry === '.' ? own : `${own}-${entry.slice(2).replaceAll('/', '-')}`;
}

function configOf({ folder, types, name }: Entry): ApiExtractor.ExtractorConfig {
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: types,
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'es2023',
            module: 'nodenext',
            moduleResolution: 'nodenext',
            skipLibCheck: true,
            lib: ['es2023', 'dom'],
            types: ['node'],
            jsx: 'react-jsx',
          },
          files,
        },
      },
      apiReport: {
        enabled: true,
        reportFolder: reports,
        reportTempFolder: temporary,
        reportFileName: `${name}.api.md`,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: {
          default: { logLevel: 'none' as ApiExtractor.ExtractorLogLevel },
        },
        tsdocMessageReporting: { default: { logLevel: 'none' as ApiExtractor.ExtractorLogLevel } },
      },
    },
    configObjectFullPath: join(folder, 'api-extractor.json'),
    packageJsonFullPath: join(folder, 'package.json'),
  });
}

function report(entry: Entry): void {
  const { name } = entry;
  const file = `${name}.api.md`;
  written.add(file);
  const { apiReportChanged, errorCount } = Extractor.invoke(configOf(entry), {
    compilerState,
    localBuild: !isCheck,
    messageCallback: (message) => {
      message.handled = true;
      if ((message.logLevel as string) === 'error') console.error(`${name}: ${message.text}`);
    },
  });
  if (isCheck && apiReportChanged) outdated.push(file);
  if (errorCount > 0) outdated.push(`${file} (cannot be written)`);
}
