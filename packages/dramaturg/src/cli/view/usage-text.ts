import { visible } from '@dramaturg/compiler';
import type { Used } from '@dramaturg/host';

const figures = new Intl.NumberFormat('en', { maximumFractionDigits: 6 });

/** What calls have used up, for people. */
export function usedInWords(used: Used): string {
  const { calls, requests, inputTokens, outputTokens, cost, unpriced } = used;
  const tokens =
    requests === 0
      ? []
      : [
          `${figures.format(requests)} ${requests === 1 ? 'request' : 'requests'} to models`,
          `${figures.format(inputTokens)} tokens in, ${figures.format(outputTokens)} out`,
        ];
  const money = cost === 0 ? [] : [`cost ${figures.format(cost)}`];
  const lacking =
    unpriced === undefined || cost === 0
      ? []
      : [`without what ${unpriced === '' ? 'a model' : visible(unpriced)} costs`];
  const made = `${figures.format(calls)} ${calls === 1 ? 'call' : 'calls'}`;
  return [made, ...tokens, ...money, ...lacking].join(', ');
}
