import { scaled } from '../../../../.config/scaled.ts';

/** The share of the random writes of the contract that a store tries. */
export const share = scaled(10) / 10;
