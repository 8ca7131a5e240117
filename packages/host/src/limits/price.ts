import type { Usage } from '@dramaturg/compiler';
import type { Price, Prices } from './limits.ts';

const million = 1_000_000;

/** With what it has cost, where the answer does not say so and the model has a price. */
export function priced(usage: Usage, prices: Prices): Usage {
  const price = usage.cost === undefined ? priceOf(usage.model, prices) : undefined;
  if (!price) return usage;
  const { inputTokens, outputTokens } = usage;
  return {
    ...usage,
    cost: (inputTokens * price.input + outputTokens * price.output) / million,
  };
}

/** Whoever asks for `openai:gpt-5`, and prices that, may hear that `gpt-5-2025-08-07` has answered. */
const provider = /^[^:]+:/;
const date = /-(\d{4}-\d{2}-\d{2}|\d{8})$/;

function priceOf(model: string | undefined, prices: Prices): Price | undefined {
  if (model === undefined) return undefined;
  const bare = model.replace(provider, '');
  const answered = [model, model.replace(date, '')];
  const names = [...answered, bare, bare.replace(date, '')];
  const name = names.find((each) => Object.hasOwn(prices, each));
  if (name !== undefined) return prices[name];
  const [one, another] = Object.keys(prices).filter((each) =>
    answered.includes(each.replace(provider, '')),
  );
  // Of two providers nobody knows which one it was.
  return one === undefined || another !== undefined ? undefined : prices[one];
}
