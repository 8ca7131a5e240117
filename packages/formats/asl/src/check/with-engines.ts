import { EnginesNotLoadedError } from '../engines/engines-not-loaded-error.ts';
import { enginesNotLoaded } from '../diagnostics/engines.ts';
import { enginePlaces } from './engine-places.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * Runs rules. If one of them needs an engine that a page has not loaded, the workflow has an error instead, at the places that need the engine,
 * so that no chart is made of what was not checked.
 */
export function withEngines(rules: readonly WorkflowRule[]): WorkflowRule {
  return (subject) => {
    const stopped = rules.filter((rule) => isStopped(rule, subject));
    if (stopped.length === 0) return;
    const { definition, report } = subject;
    const places = [...enginePlaces(definition)];
    for (const at of places.length > 0 ? places : [[]])
      report(enginesNotLoaded(), at, { topic: 'engines' });
  };
}

function isStopped(rule: WorkflowRule, subject: Parameters<WorkflowRule>[0]): boolean {
  try {
    rule(subject);
    return false;
  } catch (error) {
    if (error instanceof EnginesNotLoadedError) return true;
    throw error;
  }
}
