/** Members of an event of a message that did not fail, of the template `order_update` and the campaign `spring`. */
export const TEMPLATE_MESSAGE = {
  kind: 'template',
  messageType: 'template',
  templateName: 'order_update',
  language: 'en_US',
  campaignName: 'spring',
  clientRef: 'A-1',
  gatewayName: 'chat-simulator',
  errCode: '000',
};
