import { progressOf, retriesOf, type WorkflowContext } from '../context.ts';

/**
 * The idempotency key of a port call: the execution, the items around the actor, the machine, the number of the step,
 * and the attempt. A call that is repeated after a crash has the same key. No two calls of a workflow share one.
 */
export function callKey(context: WorkflowContext, machine: string, call: string): string {
  return `${context.execution.id}${visitKey(context, machine)}/${call}`;
}

/** Names a visit of a state within its execution. Runs that take the same path have the same keys. */
export function visitKey(context: WorkflowContext, machine: string): string {
  const { steps, visit, parentVisit } = progressOf(context, machine);
  const attempt = visit ? retriesOf(visit) : 0;
  const place = context.place.length === 0 ? '' : `/${context.place.join('/')}`;
  const parent = parentVisit === undefined ? '' : `/${parentVisit}`;
  return `${place}/${machine}${parent}/${steps}/${attempt}`;
}

/** The `parentVisit` of the machines within a state. Calls of the same machine in two visits have different keys. */
export function parentVisitOf(context: WorkflowContext, machine: string, steps: number): string {
  const { visit, parentVisit } = progressOf(context, machine);
  const own = `${steps}.${visit ? retriesOf(visit) : 0}`;
  return parentVisit === undefined ? own : `${parentVisit}.${own}`;
}
