import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { DELETED, dataOf, pageOf } from '../http/answer.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { ExplainQuery, RouteChange, RouteOrder, RouteRequest } from './route.dto.ts';
import { ExplanationView, RouteView } from './route.view.ts';
import * as examples from './routes.examples.ts';
import { RoutesService } from './routes.service.ts';

@Endpoints('Gateways', { scope: 'ops', params: { id: { example: examples.ROUTE_ID } } })
@Controller('v1/routes')
export class RoutesController {
  constructor(private readonly routes: RoutesService) {}

  @Post()
  @Endpoint({
    summary: 'Create a route',
    description:
      'Routes are tried by priority; the first one that matches and has a healthy gateway takes the message. A route without a match takes every message of its channel; there is one such route for each channel. Once a channel has a route, a message that no route matches fails with errCode 011.',
    status: 201,
    idempotent: true,
    body: examples.ROUTE_BODIES,
    answer: dataOf(RouteView, examples.ROUTE, 'The route was created.'),
  })
  createRoute(@CurrentCall() call: RepeatableCall, @Body() request: RouteRequest) {
    return this.routes.create({ ...call, request });
  }

  @Get()
  @Endpoint({
    summary: 'List routes',
    description: 'All routes in the order in which they are tried. `nextCursor` is always null.',
    answer: pageOf(RouteView, [examples.ROUTE], 'route'),
    returns: 'The routes.',
  })
  listRoutes() {
    return this.routes.list();
  }

  @Put('order')
  @Endpoint({
    summary: 'Order the routes',
    description:
      'Sets the priorities of all routes in one change, so that they are tried in the given order. Refused when the names are not those of all routes: list them again, and repeat.',
    body: examples.ORDERS,
    answer: pageOf(RouteView, [examples.ROUTE], 'route'),
    returns: 'The routes in their new order.',
  })
  orderRoutes(@CurrentCaller() caller: Caller, @Body() { names }: RouteOrder) {
    return this.routes.order(caller, names);
  }

  @Get('explain')
  @Endpoint({
    summary: 'Explain the route of a message',
    description:
      'Shows the route that such a message would take now, why each other route is skipped, and the weights and health of all gateways. Sends nothing.',
    answer: dataOf(ExplanationView, examples.EXPLANATION, (explanation) => explanation.reason),
    returns: 'The route, and why.',
  })
  explainRoute(@CurrentAccount() accountId: string, @Query() query: ExplainQuery) {
    return this.routes.explain(accountId, query);
  }

  @Get(':id')
  @Endpoint({
    summary: 'Get a route',
    answer: dataOf(RouteView, examples.ROUTE, 'The route was found.'),
  })
  getRoute(@Param('id') id: string) {
    return this.routes.get(id);
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Change a route',
    description:
      'Fields that the body omits keep their values; a given list or object replaces the whole one. The name cannot change. The change takes effect within two seconds.',
    body: examples.ROUTE_CHANGES,
    answer: dataOf(RouteView, examples.ROUTE_CHANGED, 'The route was changed.'),
  })
  changeRoute(@CurrentCaller() caller: Caller, @Param('id') id: string, @Body() change: RouteChange) {
    return this.routes.change(caller, id, change);
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Delete a route',
    description: 'Refused while it is the only one that decides between several enabled gateways.',
    answer: dataOf(DELETED, { id: examples.ROUTE_ID }, 'The route was deleted.'),
  })
  deleteRoute(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.routes.delete(caller, id);
  }
}
