import { WAIT, describeGateway } from '../../test/gateway.conformance.ts';
import { callbackTo, openGateway, rowOf, startVendor } from '../../test/http-vendor.ts';
import { sms } from '../../test/sms.ts';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import { HTTP_KIND } from './kind.ts';

const SETTINGS = {
  request: {
    method: 'POST',
    url: '{baseUrl}/send',
    body: { type: 'json', fields: { to: '{recipient}', text: '{text}', callback: '{reportUrl}' } },
  },
  answer: { success: { source: 'id' }, id: 'id' },
  callback: { reports: { status: 'status', statuses: { done: 'DELIVERED' } } },
};

describeGateway('the HTTP gateway', {
  async open() {
    const reports: GatewayReport[] = [];
    const callbacks = HTTP_KIND.callbacks!(rowOf(SETTINGS))!;
    const vendor = await startVendor(({ body }, response) => {
      const { callback } = JSON.parse(body) as { callback: string };
      response.end('{"id":"a1"}');
      const request = callbackTo(callback, { json: { status: 'done' } });
      if (callbacks.verify(request)) reports.push(...callbacks.read(callbacks.keep!(request)).reports);
    });
    const { gateway } = openGateway({ ...SETTINGS, baseUrl: vendor.origin });
    return { gateway, reports, end: vendor.stop };
  },
  async openSilent() {
    let isSilent = false;
    const vendor = await startVendor((_, response) => isSilent || response.end('{"id":"a1"}'));
    const { gateway } = openGateway({ ...SETTINGS, baseUrl: vendor.origin });
    await gateway.submit([sms()] as never, WAIT); // a connection that is open takes a request within any deadline
    isSilent = true;
    return { gateway, reports: [], end: vendor.stop };
  },
  async openDown() {
    const vendor = await startVendor(() => undefined);
    await vendor[Symbol.asyncDispose]();
    return { gateway: openGateway({ ...SETTINGS, baseUrl: vendor.origin }).gateway, reports: [] };
  },
  message: (fields) => sms(fields),
  canQuery: false,
});
