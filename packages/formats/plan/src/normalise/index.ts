export { normalise } from './plan.ts';
