/** A page of a server component: it renders what needs no browser, and refers to what does. */
import { Deliverables, hostClient, layOut, Statechart, useConversation } from '@dramaturg/react';

export const page = <Deliverables items={[{ key: 'name', value: 'Ada' }]} />;
export const callable = { hostClient, layOut };
export const references = { Statechart, useConversation };
