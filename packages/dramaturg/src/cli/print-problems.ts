import { type Checked, printPretty } from '@dramaturg/compiler';
import { titleOf } from './files.ts';
import { outputTo } from './output.ts';

/** Prints errors and warnings on standard error: standard output is for results. */
export function printProblems(
  { diagnostics, source }: Pick<Checked, 'diagnostics' | 'source'>,
  file: string,
): void {
  const problems = diagnostics.filter(({ severity }) => severity !== 'info');
  if (problems.length === 0) return;
  const { colour, width, write } = outputTo(process.stderr);
  const text = printPretty(
    problems,
    { text: source.text, fileName: titleOf(file) },
    { colour, width: width() },
  );
  write(`${text.trimEnd()}\n`);
}
