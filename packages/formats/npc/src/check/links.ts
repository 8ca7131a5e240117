import type { Path } from '@dramaturg/compiler';
import { placeholder } from '@dramaturg/conversation';
import { builtIn } from '../behaviour/template.ts';
import type { Npc } from '../definition.ts';
import {
  badVariableKey,
  duplicateVariable,
  scoreOfPassFail,
  unknownScenario,
  unknownVariable,
} from '../diagnostics/links.ts';
import { scenarioKeysOf } from '../places.ts';
import type { NpcRule } from './rule.ts';

/** A link connects scenarios of the persona. Spec: docs/formats/npc.md#links */
export const linksConnect: NpcRule = ({ definition, report }) => {
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

/** A link that waits for a score starts at a scenario that has one. */
export const linkScores: NpcRule = ({ definition, report }) => {
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

/** A variable has a key that prompts can name. Spec: docs/formats/npc.md#variables */
export const variableKeys: NpcRule = ({ definition, report }) => {
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

/** What a prompt asks to be filled in is brought by something. */
export const placeholders: NpcRule = ({ definition, report }) => {
  const known = new Set<string>([
    ...builtIn,
    ...definition.variables.map(({ key }) => key),
    ...definition.scenarios.flatMap(({ output_variables }) =>
      output_variables.map(({ key }) => key),
    ),
  ]);
  for (const [text, path] of authoredTexts(definition)) {
    const names = new Set([...text.matchAll(placeholder)].map(([, name]) => name!));
    for (const name of names)
      if (!known.has(name))
        report(unknownVariable(name, [...known]), path, {
          topic: name,
          follows: [
            ['variables', '*', 'key'],
            ['output_variables', '*', 'key'],
            [...definition.scenariosAt, '*', 'output_variables', '*', 'key'],
          ],
        });
  }
};

/** Every text that a prompt is composed from. */
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

const promptFields = [
  'creator_objective',
  'creator_win_condition',
  'creator_lose_condition',
  'chat_system_prompt',
  'system_evaluation_prompt',
  'system_summarization_prompt',
] as const;
