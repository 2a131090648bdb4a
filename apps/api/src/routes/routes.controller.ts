import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, DELETED, type ListAnswer, answer, listAnswer } from '../http/answer.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { ExplainQuery, RouteChange, RouteOrder, RouteRequest } from './route.dto.ts';
import { ExplanationView, RouteView } from './route.view.ts';
import * as examples from './routes.examples.ts';
import { RoutesService } from './routes.service.ts';

const params = { id: { example: examples.ROUTE_ID } };

@ApiTags('Gateways')
@Controller('v1/routes')
export class RoutesController {
  constructor(private readonly routes: RoutesService) {}

  @Post()
  @Endpoint({
    id: 'createRoute',
    scope: 'ops',
    summary: 'Create a route',
    description:
      'Routes are tried by priority; the first one that matches and has a healthy gateway takes the message. A route without a match takes every message of its channel; there is one such route for each channel.',
    status: 201,
    idempotent: true,
    body: exampleBodies(RouteRequest, examples.ROUTE_BODIES),
    data: RouteView,
    answer: examples.ROUTE_CREATED,
    returns: 'The new route.',
  })
  async create(
    @CurrentCall() call: RepeatableCall,
    @Body() request: RouteRequest,
  ): Promise<Answer<RouteView>> {
    return answer(await this.routes.create({ ...call, request }), 'The route was created.');
  }

  @Get()
  @Endpoint({
    id: 'listRoutes',
    scope: 'ops',
    summary: 'List routes',
    description: 'All routes in the order in which they are tried. `nextCursor` is always null.',
    entries: RouteView,
    answer: examples.ROUTES_ANSWER,
    returns: 'The routes.',
  })
  async list(): Promise<ListAnswer<RouteView>> {
    return listAnswer({ page: await this.routes.list(), nextCursor: null }, 'route');
  }

  @Put('order')
  @Endpoint({
    id: 'orderRoutes',
    scope: 'ops',
    summary: 'Order the routes',
    description:
      'Sets the priorities of all routes in one change, so that they are tried in the given order. Refused when the names are not those of all routes: list them again, and repeat.',
    body: exampleBodies(RouteOrder, examples.ORDERS),
    entries: RouteView,
    answer: examples.ROUTES_ANSWER,
    returns: 'The routes in their new order.',
  })
  async order(@Body() { names }: RouteOrder): Promise<ListAnswer<RouteView>> {
    return listAnswer({ page: await this.routes.order(names), nextCursor: null }, 'route');
  }

  @Get('explain')
  @Endpoint({
    id: 'explainRoute',
    scope: 'ops',
    summary: 'Explain the route of a message',
    description:
      'Shows the route that such a message would take now, why each other route is skipped, and the weights and health of all gateways. Sends nothing.',
    data: ExplanationView,
    answer: examples.EXPLANATION_ANSWER,
    returns: 'The route, and why.',
  })
  async explain(
    @CurrentAccount() accountId: string,
    @Query() query: ExplainQuery,
  ): Promise<Answer<ExplanationView>> {
    const explanation = await this.routes.explain(accountId, query);
    return answer(explanation, explanation.reason);
  }

  @Get(':id')
  @Endpoint({
    id: 'getRoute',
    scope: 'ops',
    summary: 'Get a route',
    params,
    data: RouteView,
    answer: examples.ROUTE_ANSWER,
    returns: 'The route.',
  })
  async get(@Param('id') id: string): Promise<Answer<RouteView>> {
    return answer(await this.routes.get(id), 'The route was found.');
  }

  @Patch(':id')
  @Endpoint({
    id: 'changeRoute',
    scope: 'ops',
    summary: 'Change a route',
    description:
      'Fields that the body omits keep their values; a given list or object replaces the whole one. The name cannot change. The change takes effect within two seconds.',
    params,
    body: exampleBodies(RouteChange, examples.ROUTE_CHANGES),
    data: RouteView,
    answer: examples.ROUTE_CHANGED,
    returns: 'The changed route.',
  })
  async change(@Param('id') id: string, @Body() change: RouteChange): Promise<Answer<RouteView>> {
    return answer(await this.routes.change(id, change), 'The route was changed.');
  }

  @Delete(':id')
  @Endpoint({
    id: 'deleteRoute',
    scope: 'ops',
    summary: 'Delete a route',
    description: 'Refused while it is the only one that decides between several enabled gateways.',
    params,
    data: DELETED,
    answer: examples.ROUTE_DELETED,
    returns: 'The id of the deleted route.',
  })
  async delete(@Param('id') id: string): Promise<Answer<{ id: string }>> {
    return answer(await this.routes.delete(id), 'The route was deleted.');
  }
}
