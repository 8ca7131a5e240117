import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const reports = join(import.meta.dirname, '../api');

/** The reports of what the packages export, which a change of an export has to update. */
export const apiNames: readonly string[] = globSync('*.api.md', { cwd: reports })
  .map((file) => basename(file, '.api.md'))
  .toSorted();

/** A page for each report: `docs/api/[name].md` is made once for each of them. */
export function apiPages() {
  return apiNames.map((name) => {
    const report = readFileSync(join(reports, `${name}.api.md`), 'utf8');
    const [, specifier = name] = /^## API Report File for "(.*)"$/m.exec(report) ?? [];
    const declarations = report.slice(report.indexOf('```ts'));
    return { params: { name }, content: `# ${specifier}\n\n${declarations}` };
  });
}
