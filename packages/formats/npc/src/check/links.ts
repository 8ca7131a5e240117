import type { Path } from '@dramaturg/compiler';
import { didYouMean } from '@dramaturg/compiler/text';
import { createDefinitionCheck, createStartCheck, placeholder } from '@dramaturg/conversation';
import { builtIn } from '../behaviour/prompt.ts';
import { type Npc, type NpcRule, outcomes, promptFields } from '../definition.ts';
import { error, warning } from '../problems.ts';
import { scenarioKeysOf } from '../scenario-graph.ts';

const unknownScenario = error('unknown-scenario', (key: string, known: readonly string[]) => ({
  message: `There is no scenario "${key}".`,
  hint: () => didYouMean(key, known) ?? 'Write the machine_key of a scenario of this persona.',
}));

/** Reports links from or to an unknown scenario. Spec: docs/formats/npc.md#links */
export const unknownScenarios: NpcRule = ({ definition, report }) => {
  const known = new Set(definition.scenarios.map(({ machine_key }) => machine_key));
  for (const link of definition.machine_links) {
    for (const field of ['source_machine_key', 'target_machine_key'] as const) {
      const key = link[field];
      if (!known.has(key))
        report(unknownScenario(key, [...known]), [...link.at, field], {
          follows: scenarioKeysOf(definition),
          topic: key,
        });
    }
  }
};

const scoreOfPassFail = warning('score-of-pass-fail', (machine: string) => ({
  message: `The scenario "${machine}" is in pass/fail mode, so its score is always 0.`,
  hint: 'Use the condition outcome, or set "scoring_mode": "scoring" in the scenario.',
}));

/** Reports links that wait for the score of a pass/fail scenario. */
export const linksWithoutScore: NpcRule = ({ definition, report }) => {
  const modes = new Map(
    definition.scenarios.map(({ machine_key, scoring_mode }) => [machine_key, scoring_mode]),
  );
  for (const { source_machine_key: source, condition, at } of definition.machine_links) {
    const readsScore = condition?.type === 'score_gte' || condition?.type === 'score_lte';
    if (readsScore && modes.get(source) === 'pass_fail')
      report(scoreOfPassFail(source), [...at, 'condition_type'], {
        follows: [[...definition.scenariosAt, '*', 'scoring_mode']],
      });
  }
};

const badVariableKey = error('bad-variable-key', (key: string) => ({
  message: `"${key}" cannot be the key of a variable, because a placeholder cannot contain it.`,
  hint: 'Use letters, digits and underscores, at most 40 of them.',
}));

const duplicateVariable = error('duplicate-variable', (key: string) => ({
  message: `The scenario has more than one output variable "${key}".`,
  hint: 'Give each variable a key of its own.',
}));

/** Reports variables with a key that prompts cannot use, or that is used twice in a scenario. Spec: docs/formats/npc.md#variables */
export const badVariables: NpcRule = ({ definition, report }) => {
  const check = (key: string, at: Path) => {
    if (!/^\w{1,40}$/.test(key) || key === '__proto__') report(badVariableKey(key), [...at, 'key']);
  };
  for (const { key, at } of definition.variables) check(key, at);
  for (const { output_variables } of definition.scenarios) {
    const seen = new Set<string>();
    for (const { key, at } of output_variables) {
      check(key, at);
      if (seen.has(key)) report(duplicateVariable(key), [...at, 'key']);
      seen.add(key);
    }
  }
};

const unknownVariable = warning('unknown-variable', (name: string, known: readonly string[]) => ({
  message: `Nothing provides a value for {{${name}}}, so the placeholder stays in the text.`,
  hint: () => didYouMean(name, known) ?? `Add an output variable "${name}" to a scenario.`,
}));

/** Reports placeholders that no variable fills. */
export const unknownVariables: NpcRule = ({ definition, report }) => {
  const known = new Set<string>([...builtIn, ...keysOf(definition)]);
  const lists = [
    ['variables'],
    ['output_variables'],
    [...definition.scenariosAt, '*', 'output_variables'],
  ];
  const follows = lists.map((list) => [...list, '*', 'key']);
  for (const [text, path] of authoredTexts(definition)) {
    const names = new Set([...text.matchAll(placeholder)].map(([, name]) => name!));
    for (const name of names)
      if (!known.has(name))
        report(unknownVariable(name, [...known]), path, { topic: name, follows });
  }
};

/** The keys of all variables. */
function keysOf({ variables, scenarios }: Npc): string[] {
  const provided = scenarios.flatMap(({ output_variables }) => output_variables);
  return [...variables, ...provided].map(({ key }) => key);
}

/** Every authored text that becomes part of a prompt. */
function* authoredTexts({ persona, scenarios }: Npc): Generator<[text: string, path: Path]> {
  yield [persona.persona_identity_prompt, [...persona.at, 'persona_identity_prompt']];
  for (const scenario of scenarios) {
    for (const field of promptFields) yield [scenario[field], [...scenario.at, field]];
    for (const { extraction_prompt, at } of scenario.output_variables)
      yield [extraction_prompt, [...at, 'extraction_prompt']];
    for (const { condition, at } of scenario.transitions) yield [condition, [...at, 'condition']];
    for (const { prompt_instruction, evaluation_criteria, at } of scenario.states) {
      yield [prompt_instruction, [...at, 'prompt_instruction']];
      for (const criterion of Object.values(evaluation_criteria))
        yield [criterion, [...at, 'evaluation_criteria']];
    }
  }
}

const checkOnEnd = createStartCheck({ error });
const reportDefinitions = createDefinitionCheck({ warning });

/** Reports mistakes in the definitions that are started when a scenario is completed. Spec: docs/formats/npc.md#start */
export const wrongStarts: NpcRule = ({ definition, options, report }) => {
  reportDefinitions(options.unknownDefinitions, report);
  const known = { values: ['outcome', 'score', 'state', ...keysOf(definition)], outcomes };
  for (const { on_end: onEnd, at } of definition.scenarios)
    if (onEnd) checkOnEnd(onEnd, known, [...at, 'on_end'], report);
};
