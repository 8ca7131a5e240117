import { progressOf, retriesOf, type WorkflowContext } from '../context.ts';

/**
 * The idempotency key of a port call: the execution, the items within which it works, the machine, which state in a row
 * it is, and which attempt. A call that is repeated after a crash has the same key; no two calls of a workflow do.
 */
export function callKey(context: WorkflowContext, machine: string, call: string): string {
  return `${context.execution.id}${visitKey(context, machine)}/${call}`;
}

/** Names the visit of a state within its execution, so that it is the same in each run that comes the same way. */
export function visitKey(context: WorkflowContext, machine: string): string {
  const { steps, visit, within } = progressOf(context, machine);
  const attempt = visit ? retriesOf(visit) : 0;
  const place = context.place.length === 0 ? '' : `/${context.place.join('/')}`;
  const round = within === undefined ? '' : `/${within}`;
  return `${place}/${machine}${round}/${steps}/${attempt}`;
}

/** Names the visit of a state for the machines within it: what they do in one is not what they do in the next. */
export function roundOf(context: WorkflowContext, machine: string, steps: number): string {
  const { visit, within } = progressOf(context, machine);
  const round = `${steps}.${visit ? retriesOf(visit) : 0}`;
  return within === undefined ? round : `${within}.${round}`;
}
