import type { CompiledDefinition } from './use-definition.ts';

/** One line that names the format of a text and says whether it can run. */
export function verdictOn({ title, machine, diagnostics, source }: CompiledDefinition): string {
  if (source.text.trim() === '')
    return 'Write or drop a definition: a plan, a workflow, a scenario, a context graph or a lifecycle.';
  const what = title ? title.charAt(0).toUpperCase() + title.slice(1) : 'Unknown format';
  const countOf = (severity: string) =>
    diagnostics.filter((each) => each.severity === severity).length;
  const [errors, warnings] = [countOf('error'), countOf('warning')];
  if (machine)
    return warnings === 0 ? `${what}, valid` : `${what}, valid, with ${count(warnings, 'warning')}`;
  return `${what}, with ${count(errors, 'error')}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
