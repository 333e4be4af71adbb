"""`memory.reviews` over HTTP. Asks one server."""

from toldonce.engine.history import ReviewService
from toldonce.remote import values
from toldonce.remote.over_http import AFTER_ID, OF_MEMORY, RemoteService, over_http


class RemoteReviewService(RemoteService, ReviewService):
    """Memories that were held back, and decisions on them."""

    list = over_http("listReviews", values.held, pages="reviews", **AFTER_ID)
    approve = over_http("approveMemory", values.memory, **OF_MEMORY)
    reject = over_http("rejectMemory", values.memory, **OF_MEMORY)
