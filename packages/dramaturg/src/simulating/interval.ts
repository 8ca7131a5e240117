/** A share with the bounds of its 95 % confidence interval, each from 0 to 1. */
export interface Share {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/** The quantile of the normal distribution for 95 %. */
const quantile = 1.96;

/**
 * The interval of Wilson's score, which holds for few runs too.
 *
 * @param share from 0 to 1
 * @param count how many independent runs the share is of
 */
export function shareWithInterval(share: number, count: number): Share {
  if (count === 0) return { share: 0, low: 0, high: 1 };
  const square = quantile ** 2 / count;
  const middle = (share + square / 2) / (1 + square);
  const spread =
    (quantile / (1 + square)) * Math.sqrt((share * (1 - share)) / count + square / (4 * count));
  return { share, low: Math.max(0, middle - spread), high: Math.min(1, middle + spread) };
}
