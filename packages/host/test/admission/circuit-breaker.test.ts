import { expect, test } from 'vitest';
import { type BreakerState, CircuitBreaker } from '../../src/admission/circuit-breaker.ts';
import { Schedule } from '../../src/admission/schedule.ts';
import { manualClock } from '../../src/clock/manual.ts';
import { nextTurn } from '@dramaturg/compiler/machine';

function stage() {
  const clock = manualClock({ startAt: 0 });
  const states: BreakerState[] = [];
  const breaker = new CircuitBreaker({
    schedule: new Schedule(clock),
    // The longest pause: almost a second, then almost two, and so on.
    random: () => 1 - Number.EPSILON,
    onChange: (state) => void states.push(state),
  });
  const pass = async (milliseconds: number) => {
    clock.set(clock.now() + milliseconds);
    await nextTurn();
  };
  const failAll = () => {
    for (const one of ['a', 'b', 'c', 'd', 'e']) breaker.failed(one);
  };
  return { breaker, states, pass, failAll };
}

test('it opens when five conversations have failed one after another', () => {
  const { breaker, states } = stage();
  for (const one of ['a', 'b', 'c', 'd']) breaker.failed(one);
  expect(states).toEqual([]);
  breaker.failed('e');
  expect(states).toEqual(['open']);
});

test('one conversation that fails again and again is no outage', () => {
  const { breaker, states } = stage();
  for (let index = 0; index < 100; index += 1) breaker.failed('a');
  expect(states).toEqual([]);
});

test('a success in between starts the count again', () => {
  const { breaker, states } = stage();
  for (const one of ['a', 'b', 'c', 'd']) breaker.failed(one);
  breaker.succeeded();
  for (const one of ['a', 'b', 'c', 'd']) breaker.failed(one);
  expect(states).toEqual([]);
});

test('the pause before a probe doubles with each probe that fails, up to a minute', async () => {
  const { breaker, states, pass, failAll } = stage();
  failAll();
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    states.length = 0;
    await pass(seconds * 1_000 - 10);
    expect(states).toEqual([]);
    await pass(10);
    expect(states).toEqual(['half-open']);
    breaker.failed('a');
    expect(states).toEqual(['half-open', 'open']);
  }
});

test('a success closes it, and the next outage begins with a short pause', async () => {
  const { breaker, states, pass, failAll } = stage();
  failAll();
  await pass(1_000);
  breaker.failed('a');
  await pass(2_000);
  breaker.succeeded();
  expect(states.at(-1)).toBe('closed');
  failAll();
  await pass(1_000);
  expect(states.at(-1)).toBe('half-open');
});

test('calls that began before it opened neither prolong the pause nor are lost as a success', async () => {
  const { breaker, states, pass, failAll } = stage();
  failAll();
  await pass(500);
  failAll();
  await pass(500);
  expect(states).toEqual(['open', 'half-open']);
  breaker.failed('a');
  breaker.succeeded();
  expect(states.at(-1)).toBe('closed');
  // The probe of the outage that is over does not come.
  states.length = 0;
  await pass(60_000);
  expect(states).toEqual([]);
});
