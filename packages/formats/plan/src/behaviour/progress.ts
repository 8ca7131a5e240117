import { isCollected, type PlanScope, type StateMeta, taskStatus } from './meta.ts';

/**
 * The progress of the whole plan in percent: the required deliverables of every required task, or the task itself when it
 * has none. Branches that were not taken count too, so a plan can end below 100. Spec: docs/formats/plan.md#progress
 */
export function progressOf({ context, meta }: Pick<PlanScope, 'context' | 'meta'>): number {
  let all = 0;
  let done = 0;
  for (const [id, node] of meta) {
    if (!id.startsWith('state:')) continue;
    const state = node as unknown as StateMeta;
    const keys = new Set<string>();
    for (const task of (state.tasks ?? []).filter(({ required }) => required)) {
      const required = task.deliverables.filter((deliverable) => deliverable.required);
      for (const { key } of required) keys.add(key);
      if (required.length > 0) continue;
      all += 1;
      if (taskStatus(context, state.id, task.id) === 'completed') done += 1;
    }
    for (const { key, required } of state.goal?.deliverables ?? []) if (required) keys.add(key);
    all += keys.size;
    done += [...keys].filter((key) => isCollected(context, key)).length;
  }
  return all === 0 ? 100 : Math.round((done / all) * 100);
}
