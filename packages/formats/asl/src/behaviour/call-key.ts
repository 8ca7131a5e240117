import { progressOf, retriesOf, type WorkflowContext } from '../context.ts';

/**
 * The idempotency key of a port call: the execution, the items within which it works, the machine, which state in a row
 * it is, and which attempt. A call that is repeated after a crash has the same key; no two calls of a workflow do.
 */
export function callKey(context: WorkflowContext, machine: string, call: string): string {
  const { steps, visit } = progressOf(context, machine);
  const attempt = visit ? retriesOf(visit) : 0;
  const place = context.place.length === 0 ? '' : `/${context.place.join('/')}`;
  return `${context.execution.id}${place}/${machine}/${steps}/${attempt}/${call}`;
}
