export { lower } from './chart.ts';
