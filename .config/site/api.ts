import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { importsOf } from '../../packages/dramaturg/test/docs/example-imports.ts';
import {
  allEntries,
  entries,
  exampleOf,
} from '../../packages/dramaturg/test/docs/exported-examples.ts';

const reports = join(import.meta.dirname, '../api');

/** The names of the API reports. A change of an export has to update its report. */
export const apiNames: readonly string[] = globSync('*.api.md', { cwd: reports })
  .map((file) => basename(file, '.api.md'))
  .toSorted();

/** The pages of the API: `docs/api/[name].md` becomes one page for each report. */
export function apiPages() {
  const titles = new Set<string>();
  return apiNames.map((name) => {
    const report = readFileSync(join(reports, `${name}.api.md`), 'utf8');
    const specifier = specifierOf(name, report);
    if (titles.has(specifier))
      throw new Error(`Two pages of the reference are called "${specifier}".`);
    titles.add(specifier);
    const declarations = report.slice(report.indexOf('```ts'));
    const examples = entries.includes(specifier) ? examplesOf(specifier, report) : '';
    return { params: { name }, content: `# ${specifier}\n\n${examples}${declarations}` };
  });
}

/** The specifier of a report's entry, found by the name of the report: the headings of reports name only the package. */
function specifierOf(name: string, report: string): string {
  const entry = allEntries.find(
    (each) => each.replace('@dramaturg/', '').replaceAll('/', '-') === name,
  );
  return entry ?? /^## API Report File for "(.*)"$/m.exec(report)?.[1] ?? name;
}

/** The examples with their imports, for each name that has an example. */
function examplesOf(specifier: string, report: string): string {
  const sections = namesIn(report).flatMap((name) => {
    const code = exampleOf(specifier, name);
    if (code === undefined) return [];
    const imports = importsOf(code, specifier, exported).join('\n');
    return [`### ${name}\n\n\`\`\`ts\n${imports}\n\n${code}\`\`\`\n`];
  });
  return [
    '## Examples\n',
    'All of them are run by a test. `text` is the content of',
    '[customer-intake.plan.json](../examples/customer-intake.plan.json), and `intake` is compiled from it. `pricing` and `stocktaking` are',
    'compiled workflows of one task, and `clerk` is the agent of the latter.\n',
    ...sections,
    '## Declarations\n\n',
  ].join('\n');
}

/** Examples import the names of the main entry from there, also in the page of the entry for browsers. */
const exported = Object.fromEntries(
  apiNames.flatMap((name) => {
    const report = readFileSync(join(reports, `${name}.api.md`), 'utf8');
    const specifier = specifierOf(name, report);
    return entries.includes(specifier) && specifier !== 'dramaturg/browser'
      ? [[specifier, namesIn(report).filter((each) => exampleOf(specifier, each))] as const]
      : [];
  }),
);

function namesIn(report: string): readonly string[] {
  const names = Array.from(
    report.matchAll(/^export (?:\{ (\w+) \}|(?:const|function|class|abstract class) (\w+))/gm),
    ([, passed, declared]) => (passed ?? declared)!,
  );
  // An overloaded function is declared more than once.
  return [...new Set(names)];
}
