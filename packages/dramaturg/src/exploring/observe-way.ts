import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { type Happened, Stage } from '../testing/stage.ts';
import type { StageOptions } from '../testing/stage-options.ts';
import type { TestCase, TestStep } from '../testing/test-file.ts';
import type { Way } from './search.ts';
import { stepsOf } from './steps-of.ts';

export interface ObservedWay {
  readonly test: TestCase;
  readonly record: NonNullable<Awaited<ReturnType<Stage['record']>>>;
}

/**
 * Runs a way on the stage of tests, and writes down what holds after each step.
 *
 * @returns undefined when the stage does not take it: a step cannot be carried out, or an answer is not asked for
 */
export async function observeWay(
  way: Pick<Way, 'beginning' | 'moves'>,
  name: string,
  options: Omit<StageOptions, 'input' | 'lifecycleInput'>,
): Promise<ObservedWay | undefined> {
  const { input, lifecycleInput } = way.beginning;
  const steps = stepsOf(way.moves);
  if (!steps) return undefined;
  const given: StageOptions = {
    ...options,
    ...(Object.keys(input).length > 0 ? { input } : {}),
    ...(lifecycleInput ? { lifecycleInput } : {}),
  };
  const stage = await Stage.open(given);
  try {
    const observed: TestStep[] = [];
    let collected: JsonObject = {};
    for (const [index, step] of steps.entries()) {
      if (index === 0) await stage.start(given, step.answers ?? []);
      else await stage.happen(step);
      const happened = await stage.read();
      if (stage.takeUnusedAnswers().length > 0) return undefined;
      observed.push({ ...step, ...expectationsOf(happened, collected) });
      collected = happened.view.collected ?? {};
    }
    const record = await stage.record();
    if (!record) return undefined;
    const test: TestCase = {
      name,
      ...(given.input ? { input: given.input } : {}),
      ...(lifecycleInput ? { lifecycleInput } : {}),
      steps: observed,
    };
    return { test, record };
  } catch {
    return undefined;
  } finally {
    await stage.close();
  }
}

/** Values of data larger than this, in UTF-16 units, are not written as expectations. */
const longest = 500;

function expectationsOf(happened: Happened, before: JsonObject): TestStep {
  const { view, state, calls, events, decisions, refused } = happened;
  const asks = calls.findLast(({ port }) => port === 'reply')?.input['asks'];
  const names = Array.isArray(asks) ? asks.map((each) => String(Object(each).name)) : [];
  const collected = Object.entries(view.collected ?? {}).filter(
    ([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value),
  );
  const agents = calls.filter(({ port }) => port === 'runAgent');
  const failed = events.find(
    ({ type }) => type === 'turn.failed' || type === 'turn.attempt.failed',
  );
  return {
    ...(refused === undefined ? {} : { refused: refused.slice(0, 60) }),
    ...(failed ? { emitted: { type: failed['type']! } } : {}),
    state: state ?? view.state,
    ...(collected.length > 0 ? { collected: Object.fromEntries(collected) } : {}),
    ...(names.length > 0 ? { asks: names } : {}),
    ...(agents.length > 0 && agents.length <= 6
      ? { calls: agents.map(({ input }) => ({ port: 'runAgent', agent: input['agent'] as Json })) }
      : {}),
    ...(decisions.length > 0 ? { decisions: decisions.map(({ prompt }) => ({ prompt })) } : {}),
    ...(view.ended ? endingOf(happened) : {}),
  };
}

function endingOf({ view, events }: Happened): TestStep {
  const end = events.findLast(({ type }) => type === 'workflow.ended');
  const said = isRecord(view.output) ? view.output['outcome'] : undefined;
  const outcome = [said, end?.['status'], view.state].find((each) => typeof each === 'string');
  const output = view.output;
  const isShown = output !== undefined && (JSON.stringify(output)?.length ?? longest) < longest;
  return {
    outcome: String(outcome),
    ...(view.failure?.error ? { error: view.failure.error } : {}),
    ...(isShown && end !== undefined && !view.failure ? { output } : {}),
  };
}
