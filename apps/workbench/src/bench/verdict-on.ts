import type { CompiledDefinition } from './use-definition.ts';

/** What a text is, and whether it can be run, in a line. */
export function verdictOn({ title, machine, diagnostics, source }: CompiledDefinition): string {
  if (source.text.trim() === '')
    return 'Write or drop a definition: a plan, a workflow, a scenario, a context graph or a lifecycle.';
  const what = title
    ? title.charAt(0).toUpperCase() + title.slice(1)
    : 'No definition that is known';
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const others = diagnostics.length - errors;
  if (machine)
    return others === 0 ? `${what}, sound` : `${what}, sound, with ${count(others, 'remark')}`;
  return `${what}, with ${count(errors, 'error')}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
