import type { JsonObject } from '@dramaturg/compiler';

/** Small definitions for tests, in the seed's spelling. */

export const maren: JsonObject = {
  name: 'Maren',
  description: 'Keeps the lighthouse.',
  persona_identity_prompt: 'You are thrifty with words.',
  perplexity_description: 'Lighthouse keeper for small talk',
};

/** A persona with its scenarios. */
export function npcOf(machines: JsonObject[], ...parts: JsonObject[]): JsonObject {
  return Object.assign({ persona: maren, machines, variables: [], machine_links: [] }, ...parts);
}

export function scenario(key: string, ...parts: JsonObject[]): JsonObject {
  return Object.assign({ machine_key: key, name: key }, ...parts);
}

export const passFail: JsonObject = { scoring_mode: 'pass_fail' };

export function states(...list: JsonObject[]): JsonObject {
  return { states: list };
}

export function state(key: string, ...parts: JsonObject[]): JsonObject {
  return Object.assign(
    { state_key: key, label: key, prompt_instruction: `Play ${key}.` },
    ...parts,
  );
}

export const initial: JsonObject = { is_initial_state: true };
export const terminal: JsonObject = { is_terminal_state: true };

export function criteria(...verdicts: string[]): JsonObject {
  return {
    evaluation_criteria: Object.fromEntries(
      verdicts.map((verdict) => [verdict, `When ${verdict}.`]),
    ),
  };
}

export function rows(...transitions: JsonObject[]): JsonObject {
  return { transitions };
}

/** A transition row: `row('greeting', 'pass', 'offer', 2)`. */
export function row(
  from: string,
  decision: string,
  to: string,
  score_delta = 0,
  ...parts: JsonObject[]
): JsonObject {
  return Object.assign(
    { from_state_key: from, to_state_key: to, decision_type: decision, score_delta },
    ...parts,
  );
}

function link(
  source: string,
  target: string,
  type: string,
  value?: string | number,
  ...parts: JsonObject[]
): JsonObject {
  return Object.assign(
    { source_machine_key: source, target_machine_key: target, condition_type: type },
    value === undefined ? {} : { condition_value: value },
    ...parts,
  );
}

/** Scenario E of the specification: scoring, threshold 3, bound -3, limits 3 and 2. */
export function scenarioE(...parts: JsonObject[]): JsonObject {
  return scenario(
    'supplies',
    {
      creator_objective: 'Settle a price.',
      creator_win_condition: 'Goods and price are agreed.',
      creator_lose_condition: 'No deal.',
      chat_system_prompt: 'Stay in the fiction.',
      system_evaluation_prompt: 'Judge the last message.',
      pass_threshold: 3,
      early_fail_bound: -3,
      redirect_limit: 3,
      follow_up_limit: 2,
    },
    states(
      state('greeting', initial, criteria('pass', 'reject', 'kick_out', 'follow_up')),
      state('offer', criteria('pass', 'redirect', 'reject', 'kick_out', 'follow_up')),
      state('deal', terminal),
      state('no_deal', terminal),
    ),
    rows(
      row('greeting', 'pass', 'offer', 2, { priority: 1 }),
      row('greeting', 'redirect', 'greeting', 0, { priority: 2 }),
      row('greeting', 'reject', 'offer', -2, { priority: 3 }),
      row('greeting', 'kick_out', 'greeting', -5, { priority: 0 }),
      row('offer', 'pass', 'deal', 2, { priority: 1, condition: 'The player accepts.' }),
      row('offer', 'pass', 'no_deal', 0, { priority: 2, condition: 'The player declines.' }),
      row('offer', 'redirect', 'offer', 0, { priority: 3 }),
      row('offer', 'reject', 'no_deal', -2, { priority: 4 }),
      row('offer', 'kick_out', 'offer', -5, { priority: 0 }),
    ),
    ...parts,
  );
}

/** Scenario G of the specification: pass/fail, three transitions from one state, two labelled ends. */
export function scenarioG(...parts: JsonObject[]): JsonObject {
  const ways = ['papers', 'persuasion', 'bribery'];
  return scenario(
    'checkpoint',
    passFail,
    states(
      state('challenge', initial, criteria('pass', 'redirect', 'kick_out', 'follow_up')),
      ...ways.map((way) => state(way, criteria('pass', 'reject'))),
      state('granted', terminal, { terminal_outcome: 'ACCEPT' }),
      state('denied', terminal, { terminal_outcome: 'REJECT' }),
    ),
    rows(
      ...ways.map((way, index) =>
        row('challenge', 'pass', way, 0, { priority: index + 1, condition: `By ${way}.` }),
      ),
      row('challenge', 'kick_out', 'challenge'),
      ...ways.flatMap((way) => [
        row(way, 'pass', 'granted', 0, { priority: 1, condition: 'It holds.' }),
        row(way, 'pass', 'denied', 0, { priority: 2, condition: 'It does not.' }),
      ]),
      row('bribery', 'reject', 'denied', 0, { priority: 3 }),
    ),
    ...parts,
  );
}

/** Two scenarios and the link between them, with an output variable of the first. */
export function corwin(): JsonObject {
  return npcOf(
    [
      scenario(
        'trade',
        { output_variables: [{ key: 'item_sold', extraction_prompt: 'What was sold?' }] },
        states(state('pitch', initial, criteria('pass', 'reject')), state('settled', terminal)),
        rows(row('pitch', 'pass', 'settled', 3), row('pitch', 'reject', 'settled', -1)),
        { is_entry_machine: true },
      ),
      scenario(
        'errand',
        passFail,
        states(
          state('ask', initial, { prompt_instruction: 'Ask about the {{item_sold}}.' }),
          state('agreed', terminal, { terminal_outcome: 'ACCEPT' }),
        ),
        rows(row('ask', 'pass', 'agreed'), row('ask', 'reject', 'ask')),
      ),
    ],
    { machine_links: [link('trade', 'errand', 'outcome', 'ACCEPT', { is_auto_advance: true })] },
  );
}
