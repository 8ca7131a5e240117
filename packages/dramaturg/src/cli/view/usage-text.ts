import { agreeing, visible } from '@dramaturg/compiler/text';
import type { UsageTotal } from '@dramaturg/host';

const figures = new Intl.NumberFormat('en', { maximumFractionDigits: 6 });

/** Describes the usage of calls for people. */
export function usageText(used: UsageTotal): string {
  const { calls, requests, inputTokens, outputTokens, cachedInputTokens = 0 } = used;
  const { cost, unpriced } = used;
  const cached =
    cachedInputTokens === 0 ? '' : ` (${figures.format(cachedInputTokens)} from a cache)`;
  const tokens =
    requests === 0
      ? []
      : [
          `${figures.format(requests)} ${agreeing('request', requests)} to models`,
          `${figures.format(inputTokens)} tokens in${cached}, ${figures.format(outputTokens)} out`,
        ];
  const money = cost === 0 ? [] : [`cost ${figures.format(cost)}`];
  const lacking =
    unpriced === undefined || cost === 0
      ? []
      : [`without what ${unpriced === '' ? 'a model' : visible(unpriced)} costs`];
  const made = `${figures.format(calls)} ${agreeing('call', calls)}`;
  return [made, ...tokens, ...money, ...lacking].join(', ');
}
