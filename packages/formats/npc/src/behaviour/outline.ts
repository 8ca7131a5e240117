import { constant, longestOutline, type OptionalSection, section } from '@dramaturg/conversation';
import { verdicts } from '../definition.ts';
import { currentScenario, type NpcScope, type StateMeta, statesOf } from './meta.ts';
import { optionsOf } from './offer.ts';
import { fillIn } from './template.ts';

/**
 * How every state of the scenario is judged. It stays the same over a conversation, so that a provider caches it; each call then only
 * names the state in hand. Undefined for a scenario with too much text: then each call has that of its state.
 */
export function judgedStates(scope: Pick<NpcScope, 'context' | 'meta' | 'world'>): OptionalSection {
  const states = statesOf(scope.meta, currentScenario(scope).machine_key);
  const text = fillIn(judged(states.map(judgedState)), scope);
  return text.length > longestOutline ? undefined : constant(section('The states', [text]));
}

interface JudgedState {
  readonly title: string;
  readonly lines: readonly string[];
}

/** What holds in every state is said once, before the states. */
function judged(states: readonly JudgedState[]): string {
  const [first, ...others] = states;
  const isShared = (line: string) =>
    others.length > 0 && others.every(({ lines }) => lines.includes(line));
  const shared = new Set(first?.lines.filter(isShared));
  const own = states.map(({ title, lines }) => ({
    title: `## ${title}`,
    lines: lines.filter((line) => !shared.has(line)),
  }));
  const all = shared.size > 0 ? [{ title: 'In every state:', lines: [...shared] }, ...own] : own;
  return all.map(({ title, lines }) => [title, ...lines].join('\n')).join('\n\n');
}

function judgedState(state: StateMeta): JudgedState {
  const options = optionsOf(state).map(
    ({ id, description }) => `${JSON.stringify(id)}: ${description}`,
  );
  const said = options.join('\n');
  const criteria = criteriaOf(state).filter(
    (line) => !said.includes(line.slice(line.indexOf(': ') + 2)),
  );
  return { title: state.title, lines: [...criteria, ...options] };
}

/** When a verdict is given, in the author's words. */
export function criteriaOf({ evaluation_criteria = {} }: StateMeta): string[] {
  return verdicts.flatMap((verdict) => {
    const criterion = evaluation_criteria[verdict];
    return criterion ? [`${verdict}: ${criterion}`] : [];
  });
}
