import { golden } from '@dramaturg/testing';
import { plan } from '../src/index.ts';
import { word } from './words.ts';

golden(plan, new URL('./fixtures/', import.meta.url), word);
