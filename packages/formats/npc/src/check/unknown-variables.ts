import type { Path } from '@dramaturg/compiler';
import { placeholder } from '@dramaturg/conversation';
import { builtIn } from '../behaviour/template.ts';
import type { Npc } from '../definition.ts';
import { unknownVariable } from '../diagnostics/links.ts';
import type { NpcRule } from './rule.ts';

/** Reports placeholders that no variable fills. */
export const unknownVariables: NpcRule = ({ definition, report }) => {
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

const promptFields = [
  'creator_objective',
  'creator_win_condition',
  'creator_lose_condition',
  'chat_system_prompt',
  'system_evaluation_prompt',
  'system_summarization_prompt',
] as const;
