import type { Path } from '@dramaturg/compiler';
import { partOf } from '../authored.ts';
import { isExpression } from '../definition/field.ts';
import type { Workflow } from '../definition/index.ts';
import { enginesNotLoaded } from '../diagnostics/engines.ts';
import { EnginesNotLoadedError } from '../engines/engines-not-loaded-error.ts';
import { statesOf } from '../walk.ts';
import { guardrailRules } from './guardrail-rules.ts';
import { textsOf } from './jsonata-texts.ts';
import type { WorkflowRule } from './rule.ts';
import { toolsOf } from './tools-blocks.ts';

/**
 * Runs rules. If a rule needs an engine that a page has not loaded, the workflow gets an error at the places that need the
 * engine, so that an unchecked workflow is not compiled.
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

/** The JSONata, the regular expressions and the JSON Schemas of a workflow, in this order. */
function* enginePlaces(workflow: Workflow): Generator<Path> {
  for (const state of statesOf(workflow)) {
    const needsEngine = (text: string) =>
      state.QueryLanguage === 'JSONata' ? isExpression(text) : text.includes('=~');
    for (const { text, at } of textsOf(state)) if (needsEngine(text)) yield at;
  }
  for (const { rule } of guardrailRules(workflow))
    for (const field of ['Pattern', 'Schema'])
      if (Object.hasOwn(rule.value, field)) yield [...rule.at, field];
  for (const tools of toolsOf(workflow)) {
    const validation = partOf(tools, 'Validation');
    if (validation) yield validation.at;
  }
}
