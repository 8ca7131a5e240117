export { default } from '../../.config/site/config.ts';
