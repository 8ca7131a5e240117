import { apiPages } from '../../.config/site/api.ts';

export default { paths: apiPages };
