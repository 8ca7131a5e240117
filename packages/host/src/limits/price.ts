import type { Usage } from '@dramaturg/compiler';
import type { Price, Prices } from './limits.ts';

const million = 1_000_000;

/** Adds the cost, if the answer does not report it and the model has a price. */
export function addCost(usage: Usage, prices: Prices): Usage {
  const price = usage.cost === undefined ? priceOf(usage.model, prices) : undefined;
  if (!price) return usage;
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = usage;
  const { input, output, cachedInput = input } = price;
  const cached = Math.min(cachedInputTokens, inputTokens);
  return {
    ...usage,
    cost: ((inputTokens - cached) * input + cached * cachedInput + outputTokens * output) / million,
  };
}

// A call of `openai:gpt-5`, priced under that name, may be answered by `gpt-5-2025-08-07`.
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
  // If two providers have a price for the model, the answer does not say which one gave it.
  return one === undefined || another !== undefined ? undefined : prices[one];
}
