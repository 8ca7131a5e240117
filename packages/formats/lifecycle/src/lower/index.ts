export { lower } from './lifecycle.ts';
