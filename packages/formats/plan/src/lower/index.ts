export { lower } from './plan.ts';
