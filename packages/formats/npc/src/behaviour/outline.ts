import { constant, longestOutline, type OptionalSection, section } from '@dramaturg/conversation';
import { verdicts } from '../definition.ts';
import { currentScenario, type NpcScope, type StateMeta, statesOf } from './meta.ts';
import { optionsOf } from './offer.ts';
import { fillIn } from './template.ts';

/**
 * How every state of the scenario is judged. It stays the same over a conversation, so that a provider caches it; each call then only
 * names the state in hand. Undefined for a scenario with too much text: then each call has that of its state.
 */
export function judgedStates(scope: Pick<NpcScope, 'context' | 'meta'>): OptionalSection {
  const states = statesOf(scope.meta, currentScenario(scope).machine_key);
  const text = fillIn(states.map((state) => judgedState(state).join('\n')).join('\n\n'), scope);
  return text.length > longestOutline ? undefined : constant(section('The states', [text]));
}

function judgedState(state: StateMeta): string[] {
  const options = optionsOf(state).map(
    ({ id, description }) => `${JSON.stringify(id)}: ${description}`,
  );
  const said = options.join('\n');
  return [
    `## ${state.title}`,
    ...criteriaOf(state).filter((line) => !said.includes(line.slice(line.indexOf(': ') + 2))),
    ...options,
  ];
}

/** When a verdict is given, in the author's words. */
export function criteriaOf({ evaluation_criteria = {} }: StateMeta): string[] {
  return verdicts.flatMap((verdict) => {
    const criterion = evaluation_criteria[verdict];
    return criterion ? [`${verdict}: ${criterion}`] : [];
  });
}
