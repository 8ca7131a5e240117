import fc from 'fast-check';
import {
  action,
  annotation,
  decision,
  exit,
  graphOf,
  recall,
  reflection,
  sideEffect,
  tool,
  toolCall,
} from './build.ts';

const names = [
  'hub',
  'side',
  '__proto__',
  'constructor',
  '007',
  'note',
  'think',
  'pick',
  'look',
  'fire',
] as const;
const hidden = [
  'decision',
  'reflection',
  'recall',
  'annotation',
  'side-effect',
  'tool-call',
] as const;

/** A graph that has no errors by construction. States of all types lead to any other state. */
export const soundGraph = fc
  .record({
    types: fc.array(fc.constantFrom('action', ...hidden), { minLength: 1, maxLength: 8 }),
    exits: fc.array(fc.array(fc.nat(8), { minLength: 1, maxLength: 3 }), {
      minLength: 9,
      maxLength: 9,
    }),
    calls: fc.boolean(),
    tools: fc.boolean(),
  })
  .map(({ types, exits, calls, tools }) => {
    const others = ['__human__', '__end__', '__restart__'];
    const all = [...types.map((_, index) => names[index + 1]!), 'end', ...others];
    const ways = (own: string, index: number) => {
      const found = exits[index]!.map((way) => all[way % all.length]!).filter(
        (name) => name !== own,
      );
      return found.length > 0 ? found : ['end'];
    };
    const more = tools ? [tool('persisted-preferred', 'a'.repeat(24))] : [];
    const call = calls ? [exit('child.c0 > end'), exit('child.c1 > hub')] : [];
    const states = types.map((type, index) => {
      const name = names[index + 1]!;
      const next = ways(name, index);
      switch (type) {
        case 'action':
          return action(name, ['Talk', 'Ask'], [...next.map((way) => exit(way)), ...call], {
            exit_condition_tool_call_specs: more,
            action_tool_call_specs: more,
          });
        case 'decision':
          return decision(
            name,
            [...next, 'end'].map((way) => exit(way)),
            { tool_call_specs: more },
          );
        case 'reflection':
          return reflection(name, next[0]!, { tool_call_specs: more });
        case 'recall':
          return recall(
            name,
            next[0]!,
            index % 2 === 0 ? { queries: ['q'] } : { requested_information: 'i' },
          );
        case 'annotation':
          return annotation(name, next[0]!);
        case 'side-effect':
          return sideEffect(name, next[0]!, { type: 'emit-event', event_name: 'e' });
        case 'tool-call':
          return toolCall(name, next[0]!);
      }
    });
    const first = action('hub', ['Talk', 'Ask'], [...all.map((way) => exit(way)), ...call]);
    return {
      ...graphOf(first, ...states, action('end', ['Say goodbye'])),
      references: { child: ['aaaaaaaaaaaaaaaaaaaaaaaa', 1] },
    };
  });

export const child = graphOf(
  action('c0', ['Talk', 'Ask'], [exit('c1'), exit('c2')]),
  reflection('c1', 'c0'),
  action('c2', ['End']),
);
